import { cancelCsvImport } from './cancel-csv-import.ts';
import { downloadWrongRows } from './download-wrong-rows.ts';
import { exportCsv } from './export-csv.ts';
import { getCsvColumns } from './get-csv-columns.ts';
import { getCsvDefinition } from './get-csv-definition.ts';
import { getCsvImport, getCsvProgress, listCsvImports } from './read-imports.ts';
import { checkCsv, parseCsv } from './start-csv-work.ts';
import { undoCsvImport } from './undo-csv-import.ts';
import { uploadCsv } from './upload-csv.ts';

export const csvImportCalls = [
  getCsvDefinition,
  uploadCsv,
  getCsvColumns,
  checkCsv,
  parseCsv,
  getCsvProgress,
  listCsvImports,
  getCsvImport,
  downloadWrongRows,
  cancelCsvImport,
  undoCsvImport,
  exportCsv,
];
