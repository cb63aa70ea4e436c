"""The networks of L2X and how they are trained; imported when needed, since they need torch."""
