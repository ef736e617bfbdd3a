"""What can be asked of each verb: every option once, with its sentence, its kind and its group."""
