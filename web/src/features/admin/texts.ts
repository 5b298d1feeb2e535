/** Texts of the administration's first page (ADMIN-1). */
export const texts = {
  title: 'Administration',
  users: 'Users',
  companies: 'Companies',
  brands: 'Brands',
  rules: 'Scheduling Rules',
  promoCodes: 'Promo Codes',
  importPatients: 'Import Patients (CSV)',
  companyInfo: 'Company Info',
  account: 'My Account',
  licensing: 'Licensing',
  payments: 'Payments',
  data: 'Clinic data',
  auditLog: 'Audit log',
} as const;
