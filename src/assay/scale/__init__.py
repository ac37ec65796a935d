"""Many files: processes, clusters, parts as files."""
