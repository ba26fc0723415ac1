from concurrent.futures import ThreadPoolExecutor
import jax, numpy as np

@jax.jit
def work(x): return (x * x).sum()

def job(n): return float(work(np.ones(n, np.float32)))
with ThreadPoolExecutor(2) as pool:
    list(pool.map(job, [3, 4, 5, 6, 7, 8]))
