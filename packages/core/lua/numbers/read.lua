local state = call('GET', key)
