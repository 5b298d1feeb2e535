import { deletePromo } from './delete-promo.ts';
import { getPromo } from './get-promo.ts';
import { listPromos } from './list-promos.ts';
import { savePromo } from './save-promo.ts';

export const promoCalls = [listPromos, getPromo, savePromo, deletePromo];
