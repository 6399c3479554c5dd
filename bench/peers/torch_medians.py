"""How long launches take, by PyTorch's events: for the benchmarks beside this file. The systems take turns."""
import statistics

import torch

ROUNDS, BATCH = 11, 5


def graph_of(launch) -> torch.cuda.CUDAGraph:
    launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(BATCH):
            launch()
    return graph


def batch_of(launch):
    def run():
        for _ in range(BATCH):
            launch()
    launch()
    return run


def median_seconds(launches, as_graphs: bool) -> dict:
    batches = {name: graph_of(launch).replay if as_graphs else batch_of(launch) for name, launch in launches.items()}
    samples = {name: [] for name in launches}
    for _ in range(ROUNDS):
        for name, batch in batches.items():
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            batch()
            end.record()
            end.synchronize()
            samples[name].append(start.elapsed_time(end) * 1e-3 / BATCH)
    return {name: statistics.median(times) for name, times in samples.items()}
