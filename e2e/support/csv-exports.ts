/** Files as other systems and spreadsheets save them, with the columns that they document. Each has the same three patients and wrong rows. */

interface ExportedFile {
  readonly name: string;
  readonly bytes: Buffer;
  /** What the page recognizes: encoding, separator, and the column of some fields. */
  readonly encoding: string;
  readonly separator: string;
  readonly columns: Readonly<Record<string, string>>;
}

const csv = (rows: readonly (readonly string[])[], separator = ',', end = '\r\n') =>
  rows
    .map((row) =>
      row.map((cell) => (/["\r\n,;\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(separator),
    )
    .join(end) + end;

/** The table patient_data of OpenEMR, as its reports export it: ISO dates, phones in several columns. */
function openEmr(): Buffer {
  const head = ['pid', 'title', 'fname', 'lname', 'mname', 'DOB', 'street', 'postal_code', 'city', 'state', 'ss'];
  const rest = ['phone_home', 'phone_biz', 'phone_cell', 'status', 'sex', 'email', 'pubpid'];
  const row = (pid: string, fname: string, lname: string, dob: string, home: string, cell: string, email: string) => [
    ...[pid, 'Ms.', fname, lname, '', dob, '12 Main St, Apt 4', '10001', 'New York', 'NY', ''],
    ...[home, '', cell, 'single', 'Female', email, pid],
  ];
  return Buffer.from(
    csv([
      [...head, ...rest],
      row('8101', 'Olivia', 'Emerson', '1980-01-05', '(212) 555-0101', '212-555-0102', 'olivia@openemr.test'),
      row('8102', 'Renée', "O'Hara-Lee", '1975-12-31', '', '+1 212 555 0103', ''),
      row('8103', 'Baby', 'Nocontact', '2024-02-29', '', '', ''),
      row('8104', 'Zero', 'Date', '0000-00-00', '', '212-555-0104', ''),
    ]),
  );
}

/** The customers of Easy!Appointments; the birth date is in a custom field. */
function easyAppointments(): Buffer {
  const head = ['id', 'first_name', 'last_name', 'email', 'mobile_number', 'phone_number', 'address', 'city'];
  const rest = ['state', 'zip_code', 'timezone', 'language', 'custom_field_1', 'notes'];
  const row = (id: string, first: string, last: string, email: string, phone: string, born: string, notes: string) => [
    ...[id, first, last, email, '', phone, '1 Elm St', 'Albany'],
    ...['NY', '12207', 'America/New_York', 'english', born, notes],
  ];
  return Buffer.from(
    csv(
      [
        [...head, ...rest],
        row(
          '31',
          'Eva',
          'Asher',
          'eva@easy.test',
          '12125550201',
          '03/04/1988',
          'Prefers mornings;\nneeds "quiet" room',
        ),
        row('32', 'Tom', 'Booker', 'tom@easy.test', '2125550202', '7/9/1990', ''),
        row('33', 'Ann', 'Wrong', 'ann.easy.test', '555-0203', '02/30/1990', ''),
      ],
      ',',
      '\n',
    ),
  );
}

/** The list of patients of Jane, saved by Excel: UTF-8 with a mark. */
function jane(): Buffer {
  const head = ['Patient Guid', 'Patient Number', 'First Name', 'Preferred First Name', 'Middle Name', 'Last Name'];
  const rest = ['Sex', 'Email', 'Home Phone', 'Mobile Phone', 'Work Phone', 'Birth Date', 'Opt In'];
  const row = (no: string, first: string, last: string, email: string, mobile: string, born: string) => [
    ...[`guid-${no}`, no, first, '', '', last],
    ...['F', email, '', mobile, '', born, 'Yes'],
  ];
  return Buffer.from(
    `\ufeff${csv([
      [...head, ...rest],
      row('J-1', 'Jane', 'Appleton', 'jane@jane.test', '212.555.0301', 'January 5, 1980'),
      row('J-2', 'María José', 'de la Cruz', '', '(212) 555-0302', 'Mar 4, 1991'),
      row('J-2', 'María José', 'de la Cruz', '', '(212) 555-0302', 'Mar 4, 1991'),
    ])}`,
  );
}

const german = [
  ['Nachname', 'Vorname', 'Geburtsdatum', 'Telefon', 'E-Mail'],
  ['MÜLLER', 'JÖRG', '31.12.1970', '(212) 555-0401', 'joerg@excel.test'],
  ['GROSS', 'ZOË', '05.01.1985', '2125550402', ''],
  ['FORMEL', "=cmd|'/C calc'!A0", '05.01.1985', '2.12555E+09', 'formel@excel.test'],
] as const;

/** Excel in a country with a comma in numbers: semicolons, Windows-1252. */
const windows = () => Buffer.from(csv(german, ';'), 'latin1');

/** "Unicode text" of Excel: UTF-16 with tabs. */
const unicodeText = () =>
  Buffer.from(
    `\ufeff${csv(
      [
        ['Patient Name', 'DOB', 'Cell Phone', 'Email'],
        ['Young, Li 李', '1/5/1980', '1-212-555-0501', ''],
        ['Nguyễn, An', '12/31/79', '', 'an@unicode.test'],
        ['Anna Maria Three', '1/5/2003', '212-555-0503', ''],
        ['Short, Year', '1/5/03', '212-555-0504', ''],
      ],
      '\t',
    )}`,
    'utf16le',
  );

export const exportedFiles = {
  openEmr: {
    name: 'patient_data.csv',
    bytes: openEmr(),
    encoding: 'UTF-8',
    separator: 'Comma',
    columns: { 'First name': 'fname', 'Birth date': 'DOB', Phone: 'phone_cell', 'External ID': 'pid' },
  },
  easyAppointments: {
    name: 'ea_customers.csv',
    bytes: easyAppointments(),
    encoding: 'UTF-8',
    separator: 'Comma',
    columns: { 'Last name': 'last_name', 'Birth date': 'custom_field_1', Phone: 'phone_number', Email: 'email' },
  },
  jane: {
    name: 'Patient List.csv',
    bytes: jane(),
    encoding: 'UTF-8',
    separator: 'Comma',
    columns: { 'First name': 'First Name', Phone: 'Mobile Phone', 'External ID': 'Patient Number' },
  },
  windows: {
    name: 'Patienten.csv',
    bytes: windows(),
    encoding: 'Windows (Western)',
    separator: 'Semicolon',
    columns: { 'First name': 'Vorname', 'Last name': 'Nachname', 'Birth date': 'Geburtsdatum', Phone: 'Telefon' },
  },
  unicodeText: {
    name: 'Unicode.CSV',
    bytes: unicodeText(),
    encoding: 'UTF-16',
    separator: 'Tab',
    columns: { 'First name': 'Patient Name', 'Last name': 'Patient Name', Phone: 'Cell Phone' },
  },
} as const satisfies Record<string, ExportedFile>;
