"""Post Affiliate Pro: tracking without a login, the rest as a merchant."""
