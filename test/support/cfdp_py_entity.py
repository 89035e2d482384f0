"""A CFDP entity made of cfdp-py's handlers, over UDP on 127.0.0.1, for test/protocol/cfdp/cfdp-py.test.ts.

The first line of standard input is its settings, as JSON; each one after it is an order: put, ask, or cancel. It writes what
happens to standard output, one JSON object a line, the first with its port. It ends when its input ends. Files are in
its working folder. `--check` says whether cfdp-py can be imported and which version it is.

cfdp-py's handlers take one PDU and are asked what to send. What they leave to their user is here: the socket, a handler
for each transaction, and requests by proxy, done as in the example programs of cfdp-py.
"""

import importlib.metadata
import json
import os
import select
import socket
import sys
from pathlib import Path

from cfdppy import mib
from cfdppy.defs import CfdpState
from cfdppy.handler.common import PacketDestination, get_packet_destination
from cfdppy.handler.dest import DestHandler, acknowledge_inactive_eof_pdu
from cfdppy.handler.source import SourceHandler
from cfdppy.request import PutRequest
from cfdppy.user import CfdpUserBase
from spacepackets.cfdp import ChecksumType, TransmissionMode
from spacepackets.cfdp.lv import CfdpLv
from spacepackets.cfdp.pdu import DirectiveType, TransactionStatus
from spacepackets.cfdp.pdu.helper import PduFactory
from spacepackets.cfdp.tlv import (
    OriginatingTransactionId,
    ProxyMessageType,
    ProxyPutRequest,
    ProxyPutRequestParams,
    ProxyPutResponse,
    ProxyPutResponseParams,
)
from spacepackets.countdown import Countdown
from spacepackets.seqcount import ProvidesSeqCount
from spacepackets.util import ByteFieldGenerator

# Their names differ between versions.
LocalEntity = getattr(mib, "LocalEntityConfig", None) or mib.LocalEntityCfg
RemoteEntity = getattr(mib, "RemoteEntityConfig", None) or mib.RemoteEntityCfg
RemoteEntities = getattr(mib, "RemoteEntityConfigTable", None) or mib.RemoteEntityCfgTable
Indications = getattr(mib, "IndicationConfig", None) or mib.IndicationCfg

TURN_SECONDS = 0.002
# So many PDUs are sent between two looks at the socket: more may overflow that of the other end.
PDUS_OF_A_TURN = 8
MODES = {1: TransmissionMode.UNACKNOWLEDGED, 2: TransmissionMode.ACKNOWLEDGED}


def say(**what):
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


class Faults(mib.DefaultFaultHandlerBase):
    def _say(self, what, cond):
        say(event="fault", handler=what, condition=int(cond))

    def notice_of_suspension_cb(self, transaction_id, cond, progress):
        self._say("suspend", cond)

    def notice_of_cancellation_cb(self, transaction_id, cond, progress):
        self._say("cancel", cond)

    def abandoned_cb(self, transaction_id, cond, progress):
        self._say("abandon", cond)

    def ignore_cb(self, transaction_id, cond, progress):
        self._say("ignore", cond)


class CheckTimers(mib.CheckTimerProvider):
    def __init__(self, seconds):
        self.seconds = seconds

    def provide_check_timer(self, local_entity_id, remote_entity_id, entity_type):
        return Countdown.from_seconds(self.seconds)


class Numbers(ProvidesSeqCount):
    def __init__(self, width):
        self.width = 8 * width
        self.next = 1

    @property
    def max_bit_width(self):
        return self.width

    @max_bit_width.setter
    def max_bit_width(self, width):
        self.width = width

    def get_and_increment(self):
        self.next += 1
        return self.next - 1


class User(CfdpUserBase):
    """Says what the handlers of one role indicate, and serves requests by proxy."""

    def __init__(self, role, orders):
        super().__init__()
        self.role = role
        self.orders = orders
        self.served = {}

    def transaction_indication(self, params):
        say(event="begun", role=self.role, sequence=params.transaction_id.seq_num.value)
        if params.originating_transaction_id is not None:
            self.served[params.transaction_id] = params.originating_transaction_id

    def transaction_finished_indication(self, params):
        finished = params.finished_params
        say(
            event="finished",
            role=self.role,
            sequence=params.transaction_id.seq_num.value,
            condition=int(finished.condition_code),
            delivery=int(finished.delivery_code),
            status=int(finished.file_status),
        )
        asked = self.served.pop(params.transaction_id, None)
        if asked is not None:
            response = ProxyPutResponse(ProxyPutResponseParams.from_finished_params(finished))
            self._send([response, OriginatingTransactionId(asked)])

    def _send(self, messages, source=None, destination=None):
        said = [message.to_generic_msg_to_user_tlv() for message in messages]
        self.orders.append({"source": source, "destination": destination, "messages": said})

    def metadata_recv_indication(self, params):
        say(event="metadata", sequence=params.transaction_id.seq_num.value)
        for message in params.msgs_to_user or []:
            reserved = message.to_reserved_msg_tlv() if message.is_reserved_cfdp_message() else None
            if reserved is None or not reserved.is_cfdp_proxy_operation():
                continue
            if reserved.get_cfdp_proxy_message_type() == ProxyMessageType.PUT_REQUEST:
                asked = reserved.get_proxy_put_request_params()
                origin = OriginatingTransactionId(params.transaction_id)
                self._send([origin], asked.source_file_as_str, asked.dest_file_as_str)

    def eof_sent_indication(self, transaction_id):
        pass

    def eof_recv_indication(self, transaction_id):
        pass

    def file_segment_recv_indication(self, params):
        pass

    def report_indication(self, transaction_id, status_report):
        pass

    def suspended_indication(self, transaction_id, cond_code):
        pass

    def resumed_indication(self, transaction_id, progress):
        pass

    def fault_indication(self, transaction_id, cond_code, progress):
        pass

    def abandoned_indication(self, transaction_id, cond_code, progress):
        pass


class Entity:
    def __init__(self, settings):
        self.settings = settings
        self.peer = ("127.0.0.1", settings["peerPort"])
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.setblocking(False)
        width = settings["idBytes"]
        self.local = LocalEntity(
            ByteFieldGenerator.from_int(width, settings["local"]), Indications(), Faults()
        )
        self.remote_id = ByteFieldGenerator.from_int(width, settings["peer"])
        self.timers = CheckTimers(settings["timer"])
        self.remotes = RemoteEntities(
            [
                RemoteEntity(
                    entity_id=self.remote_id,
                    max_file_segment_len=None,
                    max_packet_len=settings["pduBytes"],
                    closure_requested=settings["closure"],
                    crc_on_transmission=settings["crc"],
                    default_transmission_mode=MODES[settings["class"]],
                    crc_type=ChecksumType(settings["checksumType"]),
                    positive_ack_timer_interval_seconds=settings["timer"],
                    positive_ack_timer_expiration_limit=settings["limit"],
                    check_limit=settings["limit"],
                    disposition_on_cancellation=True,
                    immediate_nak_mode=settings["immediateNaks"],
                    nak_timer_interval_seconds=settings["timer"],
                    nak_timer_expiration_limit=settings["limit"],
                )
            ]
        )
        self.orders = []
        self.numbers = Numbers(settings["sequenceBytes"])
        self.senders = User("sender", self.orders)
        self.sender = self._new_sender()
        self.receivers = {}
        self.over = set()
        self.input = b""

    def _new_sender(self):
        return SourceHandler(self.local, self.senders, self.remotes, self.timers, self.numbers)

    def run(self):
        say(event="ready", port=self.socket.getsockname()[1])
        while self._orders():
            select.select([self.socket, 0], [], [], TURN_SECONDS)
            self._receive()
            self._turn()

    def _orders(self):
        """Reads what was ordered; false when there will be nothing more."""
        while select.select([0], [], [], 0)[0]:
            read = os.read(0, 65536)
            if read == b"":
                return False
            self.input += read
        *lines, self.input = self.input.split(b"\n")
        for line in lines:
            order = json.loads(line)
            if "cancel" in order:
                self._cancel()
            elif "ask" in order:
                self.orders.append({"messages": [self._request(order["ask"])]})
            else:
                self.orders.append(order)
        return True

    def _request(self, asked):
        names = [CfdpLv.from_str(asked[name]) for name in ("source", "destination")]
        params = ProxyPutRequestParams(self.local.local_entity_id, *names)
        return ProxyPutRequest(params).to_generic_msg_to_user_tlv()

    def _cancel(self):
        for handler in [self.sender, *self.receivers.values()]:
            if handler.transaction_id is not None and handler.state != CfdpState.IDLE:
                self._step(handler, lambda each: each.cancel_request(each.transaction_id))

    def _receive(self):
        for _ in range(4 * PDUS_OF_A_TURN):
            try:
                octets, _ = self.socket.recvfrom(65536)
            except BlockingIOError:
                return
            try:
                pdu = PduFactory.from_raw(octets)
            except Exception as error:
                say(event="unreadable", error=repr(error), pdu=octets.hex())
                continue
            if pdu is None:
                say(event="unreadable", error="not known", pdu=octets.hex())
            elif get_packet_destination(pdu) == PacketDestination.SOURCE_HANDLER:
                self._step(self.sender, lambda handler: handler.state_machine(pdu))
            else:
                self._to_receiver(pdu)

    def _to_receiver(self, pdu):
        key = (pdu.source_entity_id.value, pdu.transaction_seq_num.value)
        directive = getattr(pdu, "directive_type", None)
        if key in self.over:
            if directive == DirectiveType.EOF_PDU:
                self._send(acknowledge_inactive_eof_pdu(pdu, TransactionStatus.TERMINATED))
            return
        receiver = self.receivers.get(key)
        if receiver is None:
            user = User("receiver", self.orders)
            receiver = DestHandler(self.local, user, self.remotes, self.timers)
            self.receivers[key] = receiver
        self._step(receiver, lambda handler: handler.state_machine(pdu))
        self._forget(key, receiver)

    def _forget(self, key, receiver):
        if receiver.state == CfdpState.IDLE:
            del self.receivers[key]
            self.over.add(key)

    def _turn(self):
        for key, receiver in list(self.receivers.items()):
            self._step(receiver, lambda handler: handler.state_machine())
            self._forget(key, receiver)
        if self.sender.state == CfdpState.IDLE and self.orders:
            self._begin(self.orders.pop(0))
        for _ in range(PDUS_OF_A_TURN):
            if self.sender.state == CfdpState.IDLE:
                return
            self._step(self.sender, lambda handler: handler.state_machine())

    def _begin(self, order):
        source, destination = order.get("source"), order.get("destination")
        request = PutRequest(
            destination_id=self.remote_id,
            source_file=None if source is None else Path(source),
            dest_file=None if destination is None else Path(destination),
            trans_mode=MODES.get(order.get("class")),
            closure_requested=order.get("closure"),
            msgs_to_user=order.get("messages"),
        )
        # One sends one file.
        self.sender = self._new_sender()
        self._step(self.sender, lambda handler: handler.put_request(request))

    def _step(self, handler, do):
        """Lets a handler do something, and sends what it has to say."""
        try:
            do(handler)
        except Exception as error:
            say(event="refused", error=repr(error))
        while True:
            holder = handler.get_next_packet()
            if holder is None:
                return
            self._send(holder.pdu)

    def _send(self, pdu):
        try:
            self.socket.sendto(pdu.pack(), self.peer)
        except Exception as error:
            say(event="unwritable", error=repr(error), pdu=type(pdu).__name__)


def version():
    try:
        return importlib.metadata.version("cfdp-py")
    except importlib.metadata.PackageNotFoundError:
        return "of a folder"


if sys.argv[1:] == ["--check"]:
    print(version())
else:
    Entity(json.loads(sys.stdin.buffer.raw.readline())).run()
