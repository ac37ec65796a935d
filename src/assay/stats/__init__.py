"""Statistics on plain numbers: resampling, intervals, tests, corrections. Imports numpy and scipy alone."""
