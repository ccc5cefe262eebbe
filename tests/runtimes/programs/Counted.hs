-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Calls functions of the C library from threads that wait for each other, lazy lists and
-- below exceptions, and counts the calls.

module Main (main) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import Data.IORef
import Foreign.C.Types

foreign import ccall unsafe "getppid" cParent :: IO CInt

-- A safe call may run Haskell code meanwhile.
foreign import ccall safe "getpgid" cGroup :: CInt -> IO CInt

parent :: IORef Int -> IO Int
parent count = do
  atomicModifyIORef' count (\n -> (n + 1, ()))
  answer <- cParent
  return (if answer > 0 then 1 else 0)

group :: IORef Int -> IO Int
group count = do
  atomicModifyIORef' count (\n -> (n + 1, ()))
  answer <- cGroup 0
  return (if answer >= 0 then 1 else 0)

worker :: IORef Int -> MVar Int -> MVar Int -> IO ()
worker count inbox outbox = do
  value <- takeMVar inbox
  one <- parent count
  putMVar outbox (value + one)
  unless (value == 0) (worker count inbox outbox)

raising :: IORef Int -> Int -> IO Int
raising count n = do
  when (n == 0) (throwIO (userError "zero"))
  one <- parent count
  rest <- raising count (n - 1)
  return (rest + one)

main :: IO ()
main = do
  parents <- newIORef 0
  groups <- newIORef 0
  many <- replicateM 300 (parent parents)
  inbox <- newEmptyMVar
  outbox <- newEmptyMVar
  replicateM_ 8 (forkIO (worker parents inbox outbox))
  sums <- forM ([1 .. 400] ++ replicate 8 0) $ \value -> do
    putMVar inbox value
    takeMVar outbox
  caught <- forM [0 .. 29] $ \n ->
    raising parents (n `mod` 7) `catch` \problem ->
      const (group groups) (problem :: IOException)
  let primes = sieve [2 ..] where sieve (p : xs) = p : sieve [x | x <- xs, x `mod` p /= 0]
  putStrLn ("sum " ++ show (sum many + sum sums + sum caught + primes !! 150))
  readIORef parents >>= \n -> putStrLn ("count getppid " ++ show n)
  readIORef groups >>= \n -> putStrLn ("count getpgid " ++ show n)
