import { deleteBrand } from './delete-brand.ts';
import { getBrandLogo } from './get-brand-logo.ts';
import { getBrandSettings } from './get-brand-settings.ts';
import { listBrands } from './list-brands.ts';
import { saveBrand } from './save-brand.ts';

export const brandCalls = [listBrands, getBrandSettings, saveBrand, deleteBrand, getBrandLogo];
