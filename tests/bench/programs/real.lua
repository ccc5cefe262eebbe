-- SPDX-License-Identifier: GPL-2.0-or-later
-- Tables, sorting, patterns and closures in Lua, so many times over.

local state, total = 1, 0
for _ = 1, tonumber(arg[1]) do
   local counts, words = {}, {}
   for i = 1, 4000 do
      state = (state * 1103515245 + 12345) % 2147483648
      local word = "w" .. (state >> 8) % 700
      counts[word] = (counts[word] or 0) + 1
      words[i] = word
   end
   table.sort(words, function(a, b)
      if counts[a] ~= counts[b] then return counts[a] > counts[b] end
      return a < b
   end)
   local text = table.concat(words, " "):gsub("w(%d)(%d*)", "%2%1")
   for _ in text:gmatch("1%d") do total = total + 1 end
   total = total + counts[words[1]]
end
print(total)
