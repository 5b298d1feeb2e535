import { bookSlot } from './book-slot.ts';
import { closeBookingRequest } from './close-booking-request.ts';
import { getBookingPage } from './get-booking-page.ts';
import { holdSlot } from './hold-slot.ts';
import { listBookingRequests } from './list-booking-requests.ts';
import { listBookingSlots } from './list-booking-slots.ts';
import { releaseSlot } from './release-slot.ts';
import { requestAppointment } from './request-appointment.ts';

export const bookingCalls = [
  getBookingPage,
  listBookingSlots,
  holdSlot,
  releaseSlot,
  bookSlot,
  requestAppointment,
  listBookingRequests,
  closeBookingRequest,
];
