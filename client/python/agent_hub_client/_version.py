"""Replaced with the hub's version in the wheel that a hub serves."""

__version__ = "0.0.0"
