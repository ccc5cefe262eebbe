-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Calls functions of the C library from the interpreter, from traces, from coroutines and
-- below errors that are caught, and counts the calls.

local ffi = require("ffi")
ffi.cdef("int getppid(void); int getpgid(int);")
local counts = { getppid = 0, getpgid = 0 }

local function parent()
  counts.getppid = counts.getppid + 1
  return ffi.C.getppid() > 0 and 1 or 0
end

local function group()
  counts.getpgid = counts.getpgid + 1
  return ffi.C.getpgid(0) >= 0 and 1 or 0
end

local function turns(n)
  for i = 1, n do
    parent()
    coroutine.yield(i)
  end
  return group()
end

local function raising(n)
  if n == 0 then
    parent()
    error("zero")
  end
  return raising(n - 1) + 1
end

local sum = 0
for i = 1, 2000 do
  sum = sum + parent() * i % 7
end
for n = 1, 20 do
  local step = coroutine.wrap(turns)
  for _ = 1, n do
    sum = sum + step(n)
  end
  sum = sum + step()
end
for n = 1, 30 do
  if not pcall(raising, n % 7) then
    sum = sum + group()
  end
end
print("sum " .. sum)
print("count getppid " .. counts.getppid)
print("count getpgid " .. counts.getpgid)
