import { countOverdue, getRetention, saveRetention } from './settings.ts';

export const retentionCalls = [getRetention, countOverdue, saveRetention];
