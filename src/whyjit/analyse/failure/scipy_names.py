"""What of SciPy there is in `jax.scipy` too, under the same name: in all versions of JAX that whyjit supports."""

from __future__ import annotations

_NAMES = {
    "special": (
        "bernoulli beta betainc betaln digamma entr erf erfc erfinv exp1 expi expit expn factorial fresnel "
        "gamma gammainc gammaincc gammaln gammasgn hyp1f1 hyp2f1 i0 i0e i1 i1e kl_div log_ndtr log_softmax "
        "logit logsumexp multigammaln ndtr ndtri poch polygamma rel_entr softmax spence sph_harm_y xlog1py "
        "xlogy zeta"
    ),
    "linalg": (
        "block_diag cho_factor cho_solve cholesky det eigh eigh_tridiagonal expm expm_frechet funm hessenberg "
        "hilbert inv lu lu_factor lu_solve pascal polar qr rsf2csf schur solve solve_triangular sqrtm svd "
        "toeplitz"
    ),
    "fft": "dct dctn idct idctn",
    "integrate": "trapezoid",
    "interpolate": "RegularGridInterpolator",
    "ndimage": "map_coordinates",
    "optimize": "minimize",
    "signal": "convolve convolve2d correlate correlate2d csd detrend fftconvolve istft stft welch",
    "spatial.transform": "Rotation Slerp",
    "cluster.vq": "vq",
    "stats": "gaussian_kde mode rankdata sem",
    "stats.bernoulli": "cdf logpmf pmf ppf",
    "stats.beta": "cdf logcdf logpdf logsf pdf sf",
    "stats.betabinom": "logpmf pmf",
    "stats.binom": "logpmf pmf",
    "stats.cauchy": "cdf isf logcdf logpdf logsf pdf ppf sf",
    "stats.chi2": "cdf logcdf logpdf logsf pdf sf",
    "stats.dirichlet": "logpdf pdf",
    "stats.expon": "cdf logcdf logpdf logsf pdf ppf sf",
    "stats.gamma": "cdf logcdf logpdf logsf pdf sf",
    "stats.gennorm": "cdf logpdf pdf",
    "stats.geom": "logpmf pmf",
    "stats.laplace": "cdf logpdf pdf",
    "stats.logistic": "cdf isf logpdf pdf ppf sf",
    "stats.multinomial": "logpmf pmf",
    "stats.multivariate_normal": "logpdf pdf",
    "stats.nbinom": "logpmf pmf",
    "stats.norm": "cdf isf logcdf logpdf logsf pdf ppf sf",
    "stats.pareto": "logpdf pdf",
    "stats.poisson": "cdf logpmf pmf",
    "stats.t": "logpdf pdf",
    "stats.truncnorm": "cdf logcdf logpdf logsf pdf sf",
    "stats.uniform": "cdf logpdf pdf ppf",
    "stats.vonmises": "logpdf pdf",
    "stats.wrapcauchy": "logpdf pdf",
}


def jax_scipy(name: str) -> str | None:
    """The full name of JAX's function for one of SciPy's, `jax.scipy.stats.norm.cdf`; None where there is none."""
    package, _, rest = name.partition(".")
    module, _, function = rest.rpartition(".")
    if package != "scipy" or function not in _NAMES.get(module, "").split():
        return None
    return f"jax.scipy.{module}.{function}"
