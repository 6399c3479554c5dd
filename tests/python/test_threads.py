"""Threads launch and compile at the same time."""
import threading

import numpy as np

from pykc import cuda


def test_eight_threads():
    @cuda.jit
    def kernel(x, n):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += n

    failures = []

    def work(number):
        try:
            x = np.zeros(1000, [np.float32, np.float64, np.int64, np.int32][number % 4])
            device, stream = cuda.to_device(x), cuda.stream()
            for _ in range(50):
                kernel[4, 256, stream](device, number)
            host = device.copy_to_host(stream=stream)
            stream.synchronize()
            assert (host == 50 * number).all()
        except Exception as error:  # told by the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_kernels_made_in_threads():
    results = {}

    def work(number):
        @cuda.jit
        def kernel(x):
            x[0] = number

        x = np.zeros(1)
        kernel[1, 1](x)
        cuda.synchronize()
        results[number] = x[0]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: number for number in range(8)}
