"""HTTP client that repeats a request until it is answered. Both wires allow repeated messages."""

import http.client
import os
import time
from typing import Dict, NamedTuple, Optional
from urllib.parse import urlsplit


class Unavailable(Exception):
    """The run does not answer, or rejects this client."""


class Reply(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes


class Connection:
    """For one thread. `EMAC_TOKEN_FILE` names the file with the token, if the run needs one."""

    def __init__(self, url: str, retry_seconds: float = 60, reply_seconds: float = 600):
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"--connect {url}: must be an address such as http://127.0.0.1:7860")
        self.url = f"{parts.scheme}://{parts.netloc}"
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        # a run is silent while it trains
        self._client = kind(parts.hostname, parts.port, timeout=reply_seconds)
        self._retry_seconds = retry_seconds
        self._token = token()

    def post(self, path: str, body: bytes, headers: Dict[str, str]) -> Reply:
        """Retries after a broken connection, and while the run is overloaded or shutting down. Raises Unavailable."""
        silent_since: Optional[float] = None
        while True:
            # the run closes idle connections, which does not mean that it has ended
            was_open = self._client.sock is not None
            try:
                reply = self._sent("POST", path, body, headers)
                # 408: the connection was idle too long
                if reply.status < 500 and reply.status != 408:
                    return reply
                why = f"status {reply.status}"
            except (OSError, http.client.HTTPException) as error:
                self._client.close()
                why = str(error) or type(error).__name__
                if was_open and silent_since is None and not isinstance(error, TimeoutError):
                    continue
            now = time.monotonic()
            silent_since = now if silent_since is None else silent_since
            if now - silent_since >= self._retry_seconds:
                raise Unavailable(
                    f"{self.url}: does not answer ({why}); start the run first, or give its address"
                )
            time.sleep(min(0.5, self._retry_seconds))

    def get(self, path: str) -> Reply:
        """One request without retry. Raises OSError, HTTPException."""
        return self._sent("GET", path, b"", {})

    def _sent(self, method: str, path: str, body: bytes, headers: Dict[str, str]) -> Reply:
        with_token = {**headers, **({"Authorization": f"Bearer {self._token}"} if self._token else {})}
        self._client.request(method, path, body, with_token)
        response = self._client.getresponse()
        return Reply(response.status, response.headers, response.read())


def token() -> Optional[str]:
    path = os.environ.get("EMAC_TOKEN_FILE")
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return file.read().strip()
