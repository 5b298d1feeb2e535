/**
 * The screens of the administration. What each of them loads is named in this module's file, which patients' pages do not load; in routes.tsx
 * it would be part of every first page.
 */
export const adminPages = {
  AddProviderPage: async () => (await import('./features/users/UserEditPage.tsx')).AddProviderPage,
  AdminHomePage: async () => (await import('./features/admin/AdminHomePage.tsx')).AdminHomePage,
  AuditPage: async () => (await import('./features/audit/AuditPage.tsx')).AuditPage,
  BrandEditPage: async () => (await import('./features/brands/BrandEditPage.tsx')).BrandEditPage,
  BrandListPage: async () => (await import('./features/brands/BrandListPage.tsx')).BrandListPage,
  CompanyEditPage: async () => (await import('./features/companies/CompanyEditPage.tsx')).CompanyEditPage,
  CompanyListPage: async () => (await import('./features/companies/CompanyListPage.tsx')).CompanyListPage,
  DataPage: async () => (await import('./features/data-export/DataPage.tsx')).DataPage,
  InvoicePage: async () => (await import('./features/licenses/InvoicePage.tsx')).InvoicePage,
  LicensePage: async () => (await import('./features/licenses/LicensePage.tsx')).LicensePage,
  PromoEditPage: async () => (await import('./features/promos/PromoEditPage.tsx')).PromoEditPage,
  PromoListPage: async () => (await import('./features/promos/PromoListPage.tsx')).PromoListPage,
  UserEditPage: async () => (await import('./features/users/UserEditPage.tsx')).UserEditPage,
  UserListPage: async () => (await import('./features/users/UserListPage.tsx')).UserListPage,
} as const;
