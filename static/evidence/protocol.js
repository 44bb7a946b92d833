/**
 * The messages of the socket and the bodies of the HTTP calls; the other side
 * of this contract is docs/socket.md and web/wire/protocol.go.
 *
 * @typedef {'label' | 'clear' | 'exclude' | 'box' | 'lock' | 'unlock' | 'instance' | 'accept' | 'guess' | 'embedding' | 'affinities' | 'pixels' | 'granularity' | 'restore' | 'undo' | 'redo'} Kind
 *
 * @typedef {object} EvidenceEvent
 * @property {string} id made here, once; a repeat is stored once
 * @property {number} expected_seq number of events that came before
 * @property {Kind} kind
 * @property {string} [map] that superpixels are of
 * @property {number[]} [superpixels]
 * @property {[number, number][]} [points] x, y in pixels of the image
 * @property {boolean} [fine] label: a click; it is about the points and not whole superpixels
 * @property {number} [class]
 * @property {number} [number] instance: of the object among those of its class; 0 for none
 * @property {{rank: number, digest: string, offer?: Offer}} [hypothesis] accept: what is taken over; fine label: what was shown
 * @property {number} [regions] superpixels wanted
 * @property {import('./repairs.js').RepairRecord[]} [repairs] pixels
 * @property {number} [to] number of the event whose state comes back
 *
 * @typedef {object} StateMessage
 * @property {'state'} type
 * @property {string} epoch
 * @property {number} seq
 * @property {string} clicks base64, a byte per superpixel
 * @property {string} labels base64, a byte per superpixel
 * @property {number} undo
 * @property {number} redo
 * @property {string} map name of the superpixel map
 * @property {number} regions superpixels there are
 * @property {number} wanted superpixels asked for
 * @property {number} finest the most there can be
 * @property {number} split superpixels that stay divided because they hold two classes
 * @property {number[]} [parts] superpixels of the finest map that clicks have made superpixels of their own
 * @property {import('./repairs.js').RepairRecord[]} [repairs] pixels with a class of their own; those of the state before when absent
 * @property {Constraints} [constraints] what has been said beside clicks and picks
 * @property {GuessRecord} [guess] the first guess, absent without one
 *
 * @typedef {{guess: true} | {rung: number} | {superpixels: number[], class: number}} Offer a labelling that is not in the sequence: the first guess as it is, a rung of the ladder, or the best one in which superpixels have a class
 *
 * @typedef {object} GuessRecord
 * @property {number} model number of the project's model; 0 for scores that were imported
 * @property {number} learnt finished images that it was learned from
 * @property {{class: number, area: number}[]} sure classes that it is sure of somewhere, and on which share of the area
 *
 * @typedef {object} Constraints
 * @property {{class: number, box: [number, number, number, number]}[]} [boxes] left, top, right, bottom, in pixels of the image
 * @property {{class: number, superpixels: number[]}[]} [excluded]
 * @property {number[]} [locked] ids of classes
 * @property {{class: number, ranges: [number, number][]}[]} [objects] that have been told apart: first and last numbers of ranges
 *
 * @typedef {{type: 'ack', id: string, seq: number}} AckMessage
 * @typedef {{type: 'reject', id: string, reason: 'stale' | 'map' | 'invalid' | 'unavailable', detail: string, seq: number}} RejectMessage
 * @typedef {{type: 'run', run: number, seq: number, count: number, classes: number[] | null, refuted?: boolean}} RunMessage refuted: whether clicks contradict the first guess so much that it counts for nothing
 * @typedef {'complete' | 'one-class' | 'no-evidence' | 'stopped' | 'superseded' | 'busy' | 'failed'} DoneReason
 * @typedef {{type: 'done', run: number, reason: DoneReason, detail?: string, marked?: number}} DoneMessage marked: rank of the hypothesis that is expected to match the truth best, if that isn't the first
 * @typedef {{type: 'lost', detail: string}} LostMessage
 * @typedef {{type: 'error', detail: string}} ErrorMessage
 * @typedef {{type: 'project', project: ProjectRecord}} ProjectMessage
 * @typedef {{type: 'reviewed'}} ReviewedMessage
 * @typedef {{type: 'here', people: string[], more: number}} HereMessage names of others who have the image open, and how many are not named
 * @typedef {StateMessage | ProjectMessage | ReviewedMessage | HereMessage | AckMessage | RejectMessage | RunMessage | DoneMessage | LostMessage | ErrorMessage} ServerMessage
 *
 * @typedef {object} HypothesisFrame
 * @property {number} run
 * @property {number} seq number of events it was made for
 * @property {number} rank from 0
 * @property {number} energy higher is better
 * @property {string} digest 16 hexadecimal digits
 * @property {Uint8Array} labels class per superpixel
 *
 * @typedef {{id: number, name: string, color: string}} ClassRecord
 * @typedef {{learning: boolean, classes: ClassRecord[], deleted?: (ClassRecord & {target: number})[], rest: number | null | 'undecided-first' | 'nothing'}} ProjectRecord
 */

/** The class value that means undecided. */
export const VOID = 255;

/** A random identifier; randomUUID exists only on https and on loopback. */
export function newID() {
  return crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint32Array(4)), (w) => w.toString(16).padStart(8, '0')).join('');
}
