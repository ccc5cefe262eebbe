module counted

go 1.21

require callgrind_requests v0.1.0

replace callgrind_requests => ../callgrind-exact/clients/go
