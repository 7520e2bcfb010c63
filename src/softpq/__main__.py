"""``python -m softpq`` is the command line."""

from softpq.cli import main

if __name__ == "__main__":
    main()
