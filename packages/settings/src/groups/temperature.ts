/** Temperatures of sampled answers, where 0 is another way to answer. */
import { isTemperature, leastTemperature } from '@emac/core';
import { z } from 'zod';

/** 0 for the likeliest answer, or a temperature at which answers can be sampled. */
export const temperatureOrZero = z
  .number()
  .min(0)
  .max(100)
  .refine((given) => given === 0 || isTemperature(given), `must be 0, or at least ${leastTemperature}`);
