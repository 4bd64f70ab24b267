"""One TCP flow.
  tcp_flow.py receive PORT             writes "TIME BYTES" lines, ten in a second: of the machine's monotonic clock, and
                                       how many bytes have come in all; says "ready" first; ends with its sender
  tcp_flow.py send HOST PORT CONTROL   sends until it is ended, with this congestion control
"""
import socket
import sys
import time


def receive(port):
    with socket.create_server(("", port)) as service:
        print("ready", flush=True)
        flow, _ = service.accept()
        total, next_line = 0, time.monotonic()
        while data := flow.recv(1 << 18):
            total += len(data)
            if (now := time.monotonic()) >= next_line:
                print(f"{now:.3f} {total}", flush=True)
                next_line = now + 0.1


def send(host, port, control):
    with socket.create_connection((host, port)) as flow:
        flow.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
        data = bytes(1 << 16)
        while True:
            flow.sendall(data)


if sys.argv[1] == "receive":
    receive(int(sys.argv[2]))
else:
    send(sys.argv[2], int(sys.argv[3]), sys.argv[4])
