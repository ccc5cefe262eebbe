# SPDX-License-Identifier: GPL-2.0-or-later
#
# Calls functions of the C library from blocks, fibers and below exceptions, and counts
# the calls.

$counts = { "getppid" => 0, "umask" => 0 }

def parent
  $counts["getppid"] += 1
  Process.ppid > 0 ? 1 : 0
end

def mask
  $counts["umask"] += 1
  File.umask(0o22)
end

def in_turns(depth)
  parent
  return 1 if depth == 0

  Fiber.yield depth
  mask
  result = [depth - 1].map { |left| in_turns(left) }.max
  Fiber.yield depth
  result + 1
end

def raising(n)
  raise ArgumentError, "zero" if n == 0

  raising(n - 1) + parent
end

sum = 0
300.times { |i| sum += parent * (i % 7) }
fibers = Array.new(12) { Fiber.new { in_turns(8) } }
until fibers.empty?
  fibers.select! do |fiber|
    sum += fiber.resume
    fiber.alive?
  end
end
30.times do |n|
  raising(n % 7)
rescue ArgumentError
  sum += 1
end
sum += Enumerator.new { |out| 20.times { |i| out << (i * parent) } }.take(10).sum
puts "sum #{sum}"
$counts.each { |name, count| puts "count #{name} #{count}" }
