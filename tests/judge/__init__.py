"""`make judge`: random hybrid tests with nonlinear specimens, whose assessment is compared with a loop in C."""
