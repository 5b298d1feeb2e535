import type { ComponentType } from 'react';

/** Pages of the administration that few open. Where they are is loaded with the first of them, not with every page. */
export const adminPages = {
  csvImport: async () => (await import('./features/csv-import/CsvImportPage.tsx')).CsvImportPage,
  data: async () => (await import('./features/data-export/DataPage.tsx')).DataPage,
  brands: async () => (await import('./features/brands/BrandListPage.tsx')).BrandListPage,
  brand: async () => (await import('./features/brands/BrandEditPage.tsx')).BrandEditPage,
} satisfies Record<string, () => Promise<ComponentType>>;
