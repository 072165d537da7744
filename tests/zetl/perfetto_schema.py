#!/usr/bin/env python3
"""Reads a timeline by Perfetto's own schema:  perfetto_schema.py TIMELINE

Needs the package `perfetto` of PyPI, which has the schema; its trace processor is a program that it downloads when it is
used, and is not needed. Exit code 1: fields that the schema does not have, slices that do not nest, names that were never
interned, or nothing at all.
"""
import collections
import sys
import zlib

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket, TrackEvent



def packets(data):
    """All packets, in order; those in compressed blocks are taken out."""
    trace = Trace()
    trace.ParseFromString(data)
    for packet in trace.packet:
        if packet.compressed_packets:
            yield from packets(zlib.decompress(packet.compressed_packets))
        else:
            yield packet


def unknown_fields(message):
    count = len(UnknownFieldSet(message))
    for field, value in message.ListFields():
        if field.type != field.TYPE_MESSAGE:
            continue
        for each in value if field.is_repeated else [value]:
            count += unknown_fields(each)
    return count


class Sequence:
    """What packets of one writer refer to."""

    def __init__(self):
        self.names = {}
        self.keys = {}
        self.track = 0


class Reader:
    def __init__(self):
        self.sequences = collections.defaultdict(Sequence)
        self.open = collections.defaultdict(int)
        self.findings = collections.Counter()
        self.counts = collections.Counter()

    def read(self, packet):
        self.findings["unknown fields"] += unknown_fields(packet)
        sequence = self.sequences[packet.trusted_packet_sequence_id]
        if packet.sequence_flags & TracePacket.SEQ_INCREMENTAL_STATE_CLEARED:
            sequence.names.clear()
            sequence.keys.clear()
        if packet.HasField("trace_packet_defaults"):
            sequence.track = packet.trace_packet_defaults.track_event_defaults.track_uuid
        for name in packet.interned_data.event_names:
            sequence.names[name.iid] = name.name
        for key in packet.interned_data.debug_annotation_names:
            sequence.keys[key.iid] = key.name
        self.counts["tracks"] += packet.HasField("track_descriptor")
        if packet.HasField("track_event"):
            self.event(sequence, packet.track_event)

    def event(self, sequence, event):
        track = event.track_uuid or sequence.track
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            self.open[track] += 1
            self.counts["slices"] += 1
            self.findings["slices without a name"] += not event.name and event.name_iid not in sequence.names
        elif event.type == TrackEvent.TYPE_SLICE_END:
            self.open[track] -= 1
            self.findings["ends without a begin"] += self.open[track] < 0
        for annotation in event.debug_annotations:
            self.counts["arguments"] += 1
            known = annotation.name or annotation.name_iid in sequence.keys
            self.findings["arguments without a name"] += not known


def main():
    reader = Reader()
    with open(sys.argv[1], "rb") as file:
        for packet in packets(file.read()):
            reader.read(packet)
    findings = {name: count for name, count in reader.findings.items() if count}
    print(f"{dict(reader.counts)}, findings: {findings or 'none'}")
    return 1 if findings or not reader.counts["slices"] else 0


if __name__ == "__main__":
    sys.exit(main())
