"""keras on its JAX backend: fit with a ragged last batch, then predict."""

import os

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np

traced = []


def loss(labels, logits):
    traced.append(logits.shape[0])
    return keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)


model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(3)])
model.compile("adam", loss)
data = np.random.default_rng(0).normal(size=(50, 8)).astype("float32")
labels = np.zeros(50, "int32")
model.fit(data, labels, batch_size=16, epochs=2, verbose=0)
model.predict(data, verbose=0)
print("traced", *traced)
