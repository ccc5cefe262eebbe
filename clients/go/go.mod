module callgrind_requests

go 1.19
