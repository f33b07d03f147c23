"""A large program: a few genuine histories through the services, copied many times.

``program`` makes brands, ``acts`` are a client's, ``histories`` lets all act, ``stories``
says in which order; ``rows`` reads what this left, ``template`` finds what differs in a
copy, ``copies`` renders it anew, ``writing`` stores it; ``seed`` does all of
it, and ``statistics`` counts the result.
"""
