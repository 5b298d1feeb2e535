/** What can be imported (CALL-30). */
export const importTypes = ['Patient', 'Appointment', 'WeeklyHours'] as const;
export type ImportType = (typeof importTypes)[number];

/** The names of the fields of all kinds of import. */
export const fieldNames = [
  ...(['firstName', 'lastName', 'doB', 'phone', 'email', 'externalId', 'phone2', 'phone3'] as const),
  ...(['patientExternalId', 'provider', 'start', 'time', 'minutes', 'end', 'status'] as const),
  ...(['weekday', 'from', 'to', 'validFrom', 'validUntil'] as const),
] as const;
export type FieldName = (typeof fieldNames)[number];

/**
 * A field that columns are mapped to (ENTITY-16). `requiredInGroup` 0: the field must be mapped. Another number: at least one field of
 * that group must be mapped. null: optional.
 */
export interface Field {
  readonly name: FieldName;
  readonly description: string;
  readonly mappable: boolean;
  readonly requiredInGroup: number | null;
}

/** The fields of a patient. First and last name may be mapped to one column, which {@link readPatientRow} splits. */
export const patientFields: readonly Field[] = [
  { name: 'firstName', description: 'First name', mappable: true, requiredInGroup: 0 },
  { name: 'lastName', description: 'Last name', mappable: true, requiredInGroup: 0 },
  { name: 'doB', description: 'Birth date', mappable: true, requiredInGroup: 0 },
  { name: 'phone', description: 'Phone', mappable: true, requiredInGroup: 1 },
  { name: 'email', description: 'Email', mappable: true, requiredInGroup: 1 },
  { name: 'externalId', description: 'External ID', mappable: true, requiredInGroup: null },
  { name: 'phone2', description: 'Second phone', mappable: true, requiredInGroup: null },
  { name: 'phone3', description: 'Third phone', mappable: true, requiredInGroup: null },
];

/**
 * The fields of an appointment. Group 1: without the patient's external ID, name and birth date are all needed ({@link missingFields}). The date
 * and the time of the start may be in one column.
 */
const appointmentFields: readonly Field[] = [
  { name: 'patientExternalId', description: 'Patient’s external ID', mappable: true, requiredInGroup: 1 },
  { name: 'firstName', description: 'Patient’s first name', mappable: true, requiredInGroup: 1 },
  { name: 'lastName', description: 'Patient’s last name', mappable: true, requiredInGroup: 1 },
  { name: 'doB', description: 'Patient’s birth date', mappable: true, requiredInGroup: 1 },
  { name: 'provider', description: 'Provider', mappable: true, requiredInGroup: 0 },
  { name: 'start', description: 'Date, or date and time', mappable: true, requiredInGroup: 0 },
  { name: 'time', description: 'Time, if separate', mappable: true, requiredInGroup: null },
  { name: 'minutes', description: 'Length in minutes', mappable: true, requiredInGroup: null },
  { name: 'end', description: 'End', mappable: true, requiredInGroup: null },
  { name: 'status', description: 'Status', mappable: true, requiredInGroup: null },
  { name: 'externalId', description: 'Appointment ID', mappable: true, requiredInGroup: null },
];

/** The fields of the weekly hours of a provider. */
const hoursFields: readonly Field[] = [
  { name: 'provider', description: 'Provider', mappable: true, requiredInGroup: 0 },
  { name: 'weekday', description: 'Days of the week', mappable: true, requiredInGroup: 0 },
  { name: 'from', description: 'From', mappable: true, requiredInGroup: 0 },
  { name: 'to', description: 'To', mappable: true, requiredInGroup: 0 },
  { name: 'validFrom', description: 'First day', mappable: true, requiredInGroup: null },
  { name: 'validUntil', description: 'Last day', mappable: true, requiredInGroup: null },
];

/** The fields of each kind of import. */
export const fieldsOf: Readonly<Record<ImportType, readonly Field[]>> = {
  Patient: patientFields,
  Appointment: appointmentFields,
  WeeklyHours: hoursFields,
};

/** The column of each field, from 0; null = none. */
export type Mapping = Readonly<Record<FieldName, number | null>>;

export const noMapping = Object.fromEntries(fieldNames.map((name) => [name, null])) as Mapping;

/** Returns the mapping of a definition's fields; fields that are not named have no column. */
export function mappingOf(fields: readonly { readonly name: FieldName; readonly columnIdx: number | null }[]): Mapping {
  return { ...noMapping, ...Object.fromEntries(fields.map(({ name, columnIdx }) => [name, columnIdx])) };
}

/**
 * Returns the fields that a mapping lacks (VALID-29): those that are required, and all fields of a group of which none is mapped. The patient of
 * an appointment is known by the external ID, or by name and birth date together.
 */
export function missingFields(mapping: Mapping, type: ImportType = 'Patient'): readonly Field[] {
  const fields = fieldsOf[type];
  const isMapped = ({ name }: Field) => mapping[name] !== null;
  return fields.filter((field) => {
    const group = field.requiredInGroup;
    if (group === null || isMapped(field)) return false;
    if (type === 'Appointment' && group === 1) return mapping.patientExternalId === null;
    return group === 0 || !fields.some((other) => other.requiredInGroup === group && isMapped(other));
  });
}
