"""Makes landscape.npy: a hazy mountain landscape in too few grey values, for equalize.pyk to bring out. Needs NumPy."""
import numpy as np

rng = np.random.default_rng(7)
height, width = 300, 480
y = np.arange(height)[:, None]
x = np.arange(width)[None, :]
picture = 150 + 50 * (1 - y / height) * np.ones((height, width))  # sky
picture += 25 * np.exp(-((x - 350) ** 2 + (y - 60) ** 2) / 500.0)  # sun
for ridge in range(5):
    line = np.zeros(width)
    for octave in range(1, 8):
        line += rng.normal() / octave**1.1 * np.sin(octave * 2 * np.pi * np.arange(width) / width * (1 + ridge / 3) + rng.uniform(0, 6.3))
    top = 100 + 35 * ridge + 14 * line
    shade = 150 - 22 * ridge
    texture = rng.normal(size=(height, width)) * (2 + ridge)
    for _ in range(2):
        texture = (texture + np.roll(texture, 1, 0) + np.roll(texture, 1, 1) + np.roll(texture, (1, 1), (0, 1))) / 2.2
    picture = np.where(y > top[None, :], shade + 0.12 * (y - top[None, :]) + texture, picture)
hazy = 96 + 0.25 * picture  # the haze: everything between 100 and 160
np.save("landscape.npy", np.clip(hazy, 0, 255).astype(np.uint8))
