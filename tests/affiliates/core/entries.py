from __future__ import annotations

from affiliates.core.domains import DomainEntry, canonical_host, split_host


def entry(
    host: str,
    *,
    client_area: bool = True,
    redirect_target: bool = True,
    subdomains: bool = False,
) -> DomainEntry:
    """The domain entry an operator gets by typing this host."""
    name, port = split_host(canonical_host(host))
    return DomainEntry(
        host=name,
        port=port,
        is_client_area=client_area,
        is_redirect_target=redirect_target,
        include_subdomains=subdomains,
    )
