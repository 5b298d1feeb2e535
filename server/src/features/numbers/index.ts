import { downloadNumbers } from './download-numbers.ts';
import { getNumbers } from './get-numbers.ts';
import { listAttention } from './list-attention.ts';

export const numberCalls = [getNumbers, downloadNumbers, listAttention];
