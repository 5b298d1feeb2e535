import { getCompanySettings } from './get-company-settings.ts';

export const companyCalls = [getCompanySettings];
