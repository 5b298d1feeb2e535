import { cancelDataExport } from './cancel-data-export.ts';
import { downloadDataExport } from './download-data-export.ts';
import { getDataExport } from './get-data-export.ts';
import { openDataExport } from './open-data-export.ts';
import { startDataExport } from './start-data-export.ts';

export const dataExportCalls = [getDataExport, startDataExport, cancelDataExport, openDataExport, downloadDataExport];
