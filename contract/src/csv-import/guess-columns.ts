import { type FieldName, type ImportType, type Mapping, noMapping } from './fields.ts';
import { looksLikeMoment } from './read-times.ts';
import { areCapitals, looksLikeDate, orderedParts, readEmail, readPhones, splitName } from './read-values.ts';
import type { DateOrder, NameCase } from './reading.ts';

/** The name of a column as it is compared: letters and digits in lower case, without accents. */
export const plainHeader = (header: string): string =>
  header
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

type Headers = Readonly<Partial<Record<FieldName, readonly string[]>>>;

/** Names of columns in exports of other systems, by {@link plainHeader}; the first of a list that a file has is taken. */
const patientHeaders = {
  firstName:
    words(`firstname fname givenname given forename first patientfirstname ptfirstname clientfirstname legalfirstname
    preferredname vorname nombre nombres primernombre prenom nome primeironome voornaam imie etunimi fornamn fornavn имя 名`),
  lastName: words(`lastname lname surname familyname family last patientlastname ptlastname clientlastname legallastname
    nachname familienname apellido apellidos primerapellido nom nomdefamille cognome sobrenome apelido achternaam nazwisko sukunimi
    efternamn etternavn фамилия 姓`),
  doB: words(`dob birthdate dateofbirth birthday birth patientdob patientbirthdate ptdob bdate birthdt geburtsdatum geburtstag geboren
    fechadenacimiento fechanacimiento nacimiento datedenaissance naissance ddn datadinascita datanascita datadenascimento
    geboortedatum dataurodzenia syntymaaika fodelsedatum fodselsdato датарождения`),
  phone:
    words(`phone mobilephone mobile cellphone cell phonecell phonemobile phonenumber telephone tel homephone phonehome
    primaryphone patientphone contactnumber phone1 mobilenumber cellnumber telefon telefonnummer handy mobil telefono movil celular
    telefoneportable telefone portable numerodetelephone cellulare telefoonnummer телефон`),
  email:
    words(`email emailaddress mail patientemail primaryemail contactemail email1 correo correoelectronico courriel adressemail
    emailadresse mailadresse adresseemail posta postaelettronica emailadres эмейл`),
  externalId:
    words(`externalid patientid pid pubpid patientnumber mrn medicalrecordnumber chartnumber chartid chart accountnumber
    clientid patientguid patientnr id patientennummer patientennr numerodepaciente idpaciente numerodossier ippatient
    codicepaziente`),
  phone2: words(
    'phone2 secondaryphone otherphone homephone phonehome workphone phonework phonebiz businessphone alternatephone phonecontact telefonprivat',
  ),
  phone3: words('phone3 workphone phonework phonebiz businessphone officephone phonecontact telefongeschaeftlich'),
} satisfies Headers;

const providerHeaders =
  words(`provider provideremail providername doctor doctoremail doctorname physician physicianname clinician
  clinicianname practitioner practitionername therapist staff staffname staffmember resource rendering renderingprovider seenby
  with arzt behandler medico doctora docteur praticien`);

const appointmentHeaders = {
  externalId: words(
    'appointmentid apptid visitid bookingid encounterid eventid appointmentnumber apptnumber hash id terminid',
  ),
  patientExternalId: words(`patientexternalid patientsexternalid ${patientHeaders.externalId.join(' ')}`),
  firstName: words(`patientsfirstname ${patientHeaders.firstName.join(' ')}`),
  lastName: words(`patientslastname ${patientHeaders.lastName.join(' ')}`),
  doB: words(`patientsbirthdate ${patientHeaders.doB.join(' ')}`),
  provider: providerHeaders,
  start:
    words(`start startdatetime startdate appointmentstart appointmentdatetime datetime appointmentdate apptdate visitdate
    servicedate dateofservice dos date day beginn datum fecha fechahora debut data`),
  time: words('time starttime appointmenttime appttime visittime uhrzeit hora heure ora'),
  minutes: words('minutes duration durationminutes durationmin length lengthminutes mins dauer duracion duree'),
  end: words('end endtime enddatetime appointmentend appointmentendtime finish endat ende fin'),
  status: words('status appointmentstatus apptstatus state visitstatus'),
} satisfies Headers;

const hoursHeaders = {
  provider: [...providerHeaders, ...words('name email user')],
  weekday: words('weekday weekdays day days dayofweek daysofweek daysoftheweek wochentag tag dia jour'),
  from: words('from start starttime begin opens open startat von desde'),
  to: words('to end endtime until closes close finish endat bis hasta'),
  validFrom: words('validfrom firstday startdate effectivefrom effective since fromdate activefrom'),
  validUntil: words('validuntil validto lastday enddate effectiveto effectiveuntil todate activeto'),
} satisfies Headers;

const headersOf: Readonly<Record<ImportType, Headers>> = {
  Patient: patientHeaders,
  Appointment: appointmentHeaders,
  WeeklyHours: hoursHeaders,
};
const fullNames = words(
  'name patientname fullname patient patientfullname client clientname pacientename nombrecompleto nomcomplet vollstaendigername nombreyapellidos',
);

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter(Boolean);
}

/** At least this share of the filled cells must fit for a column to be guessed by its content. */
const minShare = 0.6;

/** Returns whether the first row of a file names its columns: none of its cells is a value of a patient. */
export function guessHasHeader(rows: readonly (readonly string[])[], type: ImportType = 'Patient'): boolean {
  const [first = []] = rows;
  const known = new Set([...Object.values(headersOf[type]).flat(), ...fullNames]);
  if (first.some((cell) => known.has(plainHeader(cell)))) return true;
  return first.some((cell) => cell.trim() !== '') && !first.some(isValue);
}

const isFilled = (cell: string) => cell.trim() !== '';
const isEmail = (cell: string) => isFilled(cell) && 'value' in readEmail(cell) && cell.includes('@');
const isPhone = (cell: string) => isFilled(cell) && 'value' in readPhones(cell) && /\d/.test(cell);
const isValue = (cell: string) => isEmail(cell) || isPhone(cell) || looksLikeDate(cell);

/**
 * Guesses the columns of a file by its headers, then by what stands in them. `rows` are without the header. A name is not guessed by
 * content, except 'Lee, Ann' in one column.
 */
export function guessMapping(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  type: ImportType = 'Patient',
): Mapping {
  const plain = header.map(plainHeader);
  const found: Record<FieldName, number | null> = { ...noMapping };
  const isFree = (column: number) => !Object.values(found).includes(column);
  const take = (field: FieldName, names: readonly string[]) => {
    if (found[field] !== null) return;
    for (const name of names) {
      const column = plain.findIndex((one, index) => one === name && isFree(index));
      if (column >= 0) {
        found[field] = column;
        return;
      }
    }
  };
  for (const [field, names] of Object.entries(headersOf[type]) as [FieldName, readonly string[]][]) take(field, names);
  const guess = (field: FieldName, fits: (cell: string) => boolean) => {
    if (found[field] !== null) return;
    const column = header.findIndex((_, index) => isFree(index) && mostly(rows, index, fits));
    if (column >= 0) found[field] = column;
  };
  if (type === 'Patient') {
    guess('email', isEmail);
    guess('doB', looksLikeDate);
    guess('phone', isPhone);
  }
  if (type === 'Appointment') {
    // 'Start time' with the day in it.
    if (found.start === null && found.time !== null && mostly(rows, found.time, looksLikeMoment)) {
      found.start = found.time;
      found.time = null;
    }
    guess('start', looksLikeMoment);
  }
  if (type !== 'WeeklyHours' && found.firstName === null && found.lastName === null) {
    const named = plain.findIndex((one, index) => fullNames.includes(one) && isFree(index));
    const column =
      named >= 0 ? named : header.findIndex((_, index) => isFree(index) && mostly(rows, index, isNameWithComma));
    if (column >= 0) found.firstName = found.lastName = column;
  }
  return found;
}

const isNameWithComma = (cell: string) => /^[\p{L}' .-]+,\s*[\p{L}' .-]+$/u.test(cell) && 'value' in splitName(cell);

function mostly(rows: readonly (readonly string[])[], column: number, fits: (cell: string) => boolean): boolean {
  const filled = rows.map((row) => row[column] ?? '').filter(isFilled);
  return filled.length > 0 && filled.filter(fits).length / filled.length >= minShare;
}

/** Guesses the order of day and month: by the dates of columns that fit one order only. US order when all fit both. */
export function guessDateOrder(
  rows: readonly (readonly string[])[],
  ...columns: readonly (number | null)[]
): DateOrder {
  const parts = columns
    .filter((column) => column !== null)
    .flatMap((column) => rows.map((row) => orderedParts(row[column] ?? '')))
    .filter((one) => one !== undefined);
  const monthFirst = parts.filter(([, second]) => second > 12).length;
  const dayFirst = parts.filter(([first]) => first > 12).length;
  return dayFirst > monthFirst ? 'dmy' : 'mdy';
}

/** Names of which most are in capitals are written as Ann Lee. */
export function guessNameCase(rows: readonly (readonly string[])[], mapping: Mapping): NameCase {
  const names = rows.map((row) => [row[mapping.firstName ?? -1] ?? '', row[mapping.lastName ?? -1] ?? ''] as const);
  const filled = names.filter(([first, last]) => isFilled(first + last));
  const shouted = filled.filter(([first, last]) => areCapitals(first, last));
  return shouted.length > filled.length / 2 ? 'capitalize' : 'keep';
}
