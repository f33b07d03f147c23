"""A small Post Affiliate Pro, for tests and the demonstration.

It speaks the tracking scripts and the JSON-RPC of the real one, keeps everything in
memory, and fails on command. ``python -m portal.demo.network --port 8900`` serves it;
a test runs it inside its own process with ``with Simulator() as simulator``.
"""
