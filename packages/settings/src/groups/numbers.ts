import { z } from 'zod';

export const whole = (least: number, most: number) => z.number().int().min(least).max(most);
export const probability = z.number().min(0).max(1);
