import { deleteCompany } from './delete-company.ts';
import { getCompany } from './get-company.ts';
import { getCompanySettings } from './get-company-settings.ts';
import { listCompanies } from './list-companies.ts';
import { saveCompany } from './save-company.ts';

export const companyCalls = [getCompanySettings, getCompany, saveCompany, listCompanies, deleteCompany];
