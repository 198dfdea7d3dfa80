/** Loaded into every process and thread of a recorded command, before its own code. */
import { recordHere } from './recording.ts';

recordHere();
