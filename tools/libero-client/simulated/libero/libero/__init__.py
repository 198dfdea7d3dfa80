def get_libero_path(name: str) -> str:
    return f"/simulated/{name}"
