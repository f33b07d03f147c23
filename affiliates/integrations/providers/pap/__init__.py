"""Post Affiliate Pro: tracking without a login, and what takes a merchant's."""
