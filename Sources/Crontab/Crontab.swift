// replaced by its owner
