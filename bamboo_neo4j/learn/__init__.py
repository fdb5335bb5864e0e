"""Learn: validators, the gate, and what validated reasoning leaves in the graph."""
